/** Recognises the error responses of an API server whose webhook did not answer. */

const INTERNAL_ERROR = 500;
const WORDS = /failed calling webhook |conversion webhook for .* failed/;

/** Reports whether a request failed because a webhook did not answer the API server. */
export function isUnansweredWebhook(code: number, message: string): boolean {
  return code === INTERNAL_ERROR && WORDS.test(message);
}
