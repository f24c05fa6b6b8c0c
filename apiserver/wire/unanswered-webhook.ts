/** Refusals because of a webhook that did not answer the API server. */

const INTERNAL_ERROR = 500;
const WORDS = /failed calling webhook |conversion webhook for .* failed/;

/** Reports whether an answer is a refusal because of an unanswered webhook. */
export function isUnansweredWebhook(code: number, message: string): boolean {
  return code === INTERNAL_ERROR && WORDS.test(message);
}
