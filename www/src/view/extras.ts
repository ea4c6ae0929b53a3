/** What is not seen when the page opens; loaded right after. */
export { AskDialog } from "./ask.js";
export { Compare } from "./compare.js";
export { FaultNotice } from "./fault.js";
export { ModelFields } from "./model-fields.js";
export { MoreSettings } from "./more-settings.js";
export { PairDialog } from "./pair.js";
export { PasteField } from "./paste.js";
export { Requests } from "./requests.js";
export { Steps } from "./steps.js";
export { Take } from "./take.js";
