/** Sentences of the refusals of /api/auth: codes of better-auth and ours. */
import { isRefusalCode, type RefusalCode } from '../../../worker/contract/errors.ts'
import { refusalSentence } from '../refusals/sentence.ts'
import { authText, en } from './texts/en.ts'

type AuthCode = Exclude<keyof typeof en, 'last_owner_of'>
type PlainCode = AuthCode | RefusalCode

/** Codes of better-auth that share a sentence. */
const sharedSentences: { readonly [code: string]: PlainCode } = {
  VALIDATION_ERROR: 'invalid_request',
  MISSING_OR_NULL_ORIGIN: 'INVALID_ORIGIN',
  INVALID_ERROR_CALLBACK_URL: 'INVALID_CALLBACK_URL',
  INVALID_NEW_USER_CALLBACK_URL: 'INVALID_CALLBACK_URL',
  INVALID_REDIRECT_URL: 'INVALID_CALLBACK_URL',
  INVALID_CALLBACKURL: 'INVALID_CALLBACK_URL',
  INVALID_ERRORCALLBACKURL: 'INVALID_CALLBACK_URL',
  state_mismatch: 'login_expired',
  state_not_found: 'login_expired',
  please_restart_the_process: 'login_expired',
  ORGANIZATION_ALREADY_EXISTS: 'slug_taken',
  ORGANIZATION_SLUG_ALREADY_TAKEN: 'slug_taken',
  YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS: 'organization_limit',
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: 'already_member',
  USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION: 'already_invited',
  INVITATION_LIMIT_REACHED: 'invitation_limit',
  ORGANIZATION_MEMBERSHIP_LIMIT_REACHED: 'member_limit',
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER: 'only_owner',
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER: 'only_owner',
  INVITATION_NOT_FOUND: 'invitation_closed',
  YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_TEAMS: 'team_limit',
}

const sentencesByStatus: { readonly [status: number]: PlainCode } = {
  401: 'UNAUTHORIZED',
  403: 'not_authorized',
  404: 'not_found',
  409: 'conflict',
  429: 'RATE_LIMITED',
}

/** The sentence of a refusal of /api/auth, by its code or else by its HTTP status. `organization`: the name, if the refusal has one. */
export function authSentence(code: string | null, status: number, organization?: string): string {
  if (organization !== undefined) return authText('last_owner_of', { organization })
  const shared = code === null ? undefined : (sharedSentences[code] ?? plainCodeOf(code))
  return sentenceOf(shared ?? sentencesByStatus[status] ?? (status < 500 ? 'invalid_request' : 'internal'))
}

/** For `?error=` of the login page. */
export const loginSentence = (code: string): string => sentenceOf(sharedSentences[code] ?? plainCodeOf(code) ?? 'login_failed')

const isAuthCode = (code: string): code is AuthCode => Object.hasOwn(en, code) && code !== 'last_owner_of'

const plainCodeOf = (code: string): PlainCode | undefined => (isAuthCode(code) || isRefusalCode(code) ? code : undefined)

const sentenceOf = (code: PlainCode): string => (isAuthCode(code) ? authText(code) : refusalSentence({ code }))
