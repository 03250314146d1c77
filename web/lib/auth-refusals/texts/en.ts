import { catalogue } from '../../i18n/text-catalogue.ts'

/** Sentences of the refusals of /api/auth, by code. English, in ICU syntax. */
export const en = {
  INVALID_OTP: 'Incorrect code. Check the newest email, or request another code.',
  OTP_EXPIRED: 'This code has expired. Request another one.',
  TOO_MANY_ATTEMPTS: 'This code was entered too often. Request another one.',
  INVALID_TOKEN: 'This link has expired or was already used. Request a new one.',
  INVALID_EMAIL: 'Enter a valid email address.',
  INVALID_NAME: 'Enter a name of up to 32 characters without a link.',
  INVALID_IMAGE: 'A profile picture must be an https address.',
  MAIL_NOT_SENT: 'The email could not be sent. Try again in a moment.',
  SESSION_NOT_FRESH: "Confirm it's you first: log in again, then delete the account.",
  SESSION_EXPIRED: 'Your session has ended. Log in again.',
  UNAUTHORIZED: 'You are logged out. Log in again.',
  INVALID_ORIGIN: 'This request came from another site and was refused.',
  INVALID_CALLBACK_URL: 'This address is on another site and was refused.',
  RATE_LIMITED: 'Too many attempts. Wait a moment and try again.',
  OWNER_REMOVED_BY_OWNER: 'Only another owner can remove an owner.',
  NOT_MOVED: 'Your threads could not be moved to the account, so you were not logged in. Nothing was lost. Try again.',
  ACCOUNT_FULL:
    "The account's storage is full, so this guest's threads can't move to it. You are still a guest and nothing was lost. Free space in the account from another browser, or delete the guest's data in Settings, and log in again.",
  ACCOUNT_BEING_DELETED: 'This account is being deleted. In a few minutes you can create a new one with this address.',
  access_denied: 'Login was cancelled.',
  account_not_linked: 'An account with this address already exists. Log in by email instead.',
  email_not_found: 'The provider sent no email address. Log in by email instead.',
  login_expired: 'Login took too long or was started in another browser. Try again.',
  login_failed: 'Login failed. Try again.',
  conflict: 'This has changed in the meantime. Check it and try again.',
  slug_taken: 'Another organization has this short name. Choose a different one.',
  organization_limit: 'You have reached the limit of organizations.',
  already_member: 'This user is already a member.',
  already_invited: 'This address is already invited. Resend the invitation from the list below.',
  invitation_limit: 'Too many invitations are open. Cancel one first.',
  member_limit: 'The organization has reached its limit of members.',
  only_owner: 'You are the only owner. Make another member owner first, or delete the organization.',
  invitation_closed: 'This invitation is no longer open.',
  team_limit: 'The organization has reached its limit of teams.',
  last_owner_of: 'You are the only owner of {organization}. Make another member owner or delete the organization, then try again.',
} as const

export const authText = catalogue('authRefusals', en)
