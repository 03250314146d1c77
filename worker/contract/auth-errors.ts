import { refusals } from './errors.ts'
import { maxNameChars } from './limits.ts'

/**
 * Sentences for refusals of /api/auth, by stable code of better-auth or ours. A code without a sentence gets the sentence of its HTTP
 * status.
 */
export const authSentences: { readonly [code: string]: string } = {
  INVALID_OTP: 'That code is not right. Look again in the newest mail, or ask for another one.',
  OTP_EXPIRED: 'That code has expired. Ask for another one.',
  TOO_MANY_ATTEMPTS: 'That code was tried too often. Ask for another one.',
  INVALID_TOKEN: 'That link has expired or was already used. Ask for a new one.',
  VALIDATION_ERROR: 'That request could not be understood.',
  INVALID_EMAIL: 'This is not an e-mail address we can write to.',
  INVALID_NAME: `Enter a name of 1 to ${maxNameChars} characters without a link.`,
  INVALID_IMAGE: 'A profile picture must be an https address.',
  not_configured: 'This part of the product is not set up here.',
  captcha_unavailable: refusals.captcha_unavailable,
  MAIL_NOT_SENT: 'The mail could not be sent. Try again in a moment.',
  SESSION_NOT_FRESH: 'Confirm that it is you first: sign in again, then delete the account.',
  SESSION_EXPIRED: 'Your session has ended. Log in again.',
  UNAUTHORIZED: 'You are not logged in any more. Log in again.',
  INVALID_ORIGIN: 'This request did not come from our own pages.',
  MISSING_OR_NULL_ORIGIN: 'This request did not come from our own pages.',
  INVALID_CALLBACK_URL: 'That address is not one of ours.',
  INVALID_ERROR_CALLBACK_URL: 'That address is not one of ours.',
  INVALID_NEW_USER_CALLBACK_URL: 'That address is not one of ours.',
  INVALID_REDIRECT_URL: 'That address is not one of ours.',
  INVALID_CALLBACKURL: 'That address is not one of ours.',
  INVALID_ERRORCALLBACKURL: 'That address is not one of ours.',
  RATE_LIMITED: 'Too many attempts. Wait a moment and try again.',
  OWNER_REMOVED_BY_OWNER: 'Only another owner can remove an owner.',
  NOT_MOVED: 'Your threads could not be moved to the account, so you were not logged in. Nothing is lost: try again.',
  ACCOUNT_FULL:
    "The account's storage is full, so this guest's threads can't move to it. You are still a guest and nothing is lost. Free space in the account from another browser, or delete the guest's data in Settings, and log in again.",
  access_denied: 'Signing in was cancelled.',
  account_not_linked: 'An account with this address exists already. Log in by e-mail instead.',
  email_not_found: 'That company did not tell us an e-mail address. Log in by e-mail instead.',
  state_mismatch: 'Signing in took too long or began in another browser. Try again.',
  state_not_found: 'Signing in took too long or began in another browser. Try again.',
  please_restart_the_process: 'Signing in took too long or began in another browser. Try again.',
}

const byStatus: { readonly [status: number]: string } = {
  400: 'That request could not be understood.',
  401: 'You are not logged in any more. Log in again.',
  403: 'Not authorized',
  404: 'Not found',
  409: 'That has changed meanwhile. Look again and try once more.',
  422: 'That request could not be understood.',
  429: 'Too many attempts. Wait a moment and try again.',
}

/** `sentence`: the message of better-auth, used if neither the code nor a 4xx status has a sentence of ours. */
export const authSentence = (code: string | null, status: number, sentence: string | null = null): string =>
  (code === null ? undefined : authSentences[code]) ??
  (status < 500 ? sentence : null) ??
  byStatus[status] ??
  'Something went wrong on our side. Try again.'

/** For `?error=` of the login page, which has only the code. */
export const linkProblem = (code: string): string => authSentences[code] ?? 'Signing in did not work. Try again.'
