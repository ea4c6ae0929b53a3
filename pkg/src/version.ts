declare const KEEPLINE_VERSION: string;

/** The version of the package. */
export const VERSION: string = KEEPLINE_VERSION;
