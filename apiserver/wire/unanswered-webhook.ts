/** Finds refusals that are due to a webhook that did not answer the API server. */

const INTERNAL_ERROR = 500;
const WORDS = /failed calling webhook |conversion webhook for .* failed/;

/** Reports whether an answer is a refusal due to a webhook that did not answer. */
export function isUnansweredWebhook(code: number, message: string): boolean {
  return code === INTERNAL_ERROR && WORDS.test(message);
}
