/** Refusals because of a webhook that did not answer the API server. */

const INTERNAL_ERROR = 500;
const WORDS = /failed calling webhook |conversion webhook for .* failed/;

/** Whether an answer is one. */
export function isUnansweredWebhook(code: number, message: string): boolean {
  return code === INTERNAL_ERROR && WORDS.test(message);
}
