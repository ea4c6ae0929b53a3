import type { Message } from "keepline";

export const history: Message[];
