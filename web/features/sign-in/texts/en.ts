import { catalogue } from '../../../lib/i18n/text-catalogue.ts'

/** Texts of the pages without a session. English, in ICU syntax. */
export const en = {
  guestReason: 'Several guest sessions were started from your network. Complete this check to continue.',
  mailReason: 'Complete this check to get the email.',
  confirmHuman: "Confirm you're human",
  logInInstead: 'Log in instead',
  checkNotLoaded: "The check couldn't be loaded. Check your connection and try again.",
  codeLength: 'Enter all {digits, number} digits of the code.',
  code: 'Code',
  logIn: 'Log in',
  continueWith: 'Continue with {provider}',
  deletedTitle: 'Your data was deleted',
  deletedLead: 'You can start again as a guest.',
  loggedOutTitle: 'You are logged out',
  loggedOutLead: 'Going back home starts a new guest session.',
  backHome: 'Back to home',
  logInAgain: 'Log in again',
  loginDisabled: 'Login is disabled.',
  continueAsGuest: 'Continue as guest',
  guestThreadsMove: 'Your guest threads in this browser move to your account when you log in.',
  or: 'or',
  email: 'Email',
  emailDescription: "We send you a link and a code. You don't need a password.",
  continue: 'Continue',
  magicLinkSent: 'Magic link sent',
  sentTo:
    'We sent an email to <b>{email}</b>. Open the link in this browser, or enter the code from the email. Each works once, for five minutes.',
  checkEmail: 'Check your email and open the link in this browser. It works once, for five minutes.',
  emailNotConfigured: "Email isn't configured.",
  openOutbox: 'Open the outbox',
  otherEmail: 'Use another email address',
  emailSentAgain: 'Email sent again.',
  resendIn: '{seconds, plural, one {You can resend in # second.} other {You can resend in # seconds.}}',
  resend: 'Resend',
  linkLogsIn: 'This link logs you in as <b>{email}</b>.',
  linkLogsInUnknown: 'This link logs you in to the account it was sent to.',
  foreignTitle: 'Did you ask for this link?',
  foreignLead:
    'This browser did not request it. If you continue, it logs in as <b>{email}</b>, and guest threads in this browser move to that account. If someone else sent you this link, cancel.',
  foreignLeadUnknown:
    'This browser did not request it. If you continue, it logs in to the account the link was sent to, and guest threads in this browser move to that account. If someone else sent you this link, cancel.',
  alreadyLoggedIn: 'You are already logged in',
  alreadyLoggedInLead: "This link is for your account. You don't need it any more.",
  continueToParley: 'Continue to Parley',
  deadTitle: 'This link no longer works',
  deadLead: 'It has expired or was already used. Each link works once, for five minutes.',
  getNewLink: 'Get a new link',
  home: 'Parley, home',
} as const

export const t = catalogue('signIn', en)
