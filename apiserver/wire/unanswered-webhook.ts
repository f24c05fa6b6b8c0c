/** Refusals that are nobody's verdict: a webhook that the API server had to ask did not answer. */

const INTERNAL_ERROR = 500;
const WORDS = /failed calling webhook |conversion webhook for .* failed/;

/** Whether an answer says that. */
export function isUnansweredWebhook(code: number, message: string): boolean {
  return code === INTERNAL_ERROR && WORDS.test(message);
}
