import { catalogue } from '../../../../lib/i18n/text-catalogue.ts'

/** Texts of the page of an invitation. English, in ICU syntax. */
export const en = {
  invitation: 'Invitation',
  notLoaded: "The invitation couldn't be loaded. Check your connection and try again.",
  reload: 'Reload',
  join: 'Join {organization}',
  invites: '{inviter} invites you.',
  logInWithAddress: 'Log in with the address the invitation was sent to.',
  logIn: 'Log in',
  invitesYou: '{inviter} invites you to <b>{organization}</b> as {role}. Its members will see your name and email address.',
  owner: 'Owner',
  admin: 'Admin',
  member: 'Member',
  accept: 'Accept',
  decline: 'Decline',
  joined: 'You joined {organization}',
  declined: 'Invitation declined',
  isMember: 'You are a member of {organization}',
  notNeeded: "You don't need this invitation any more.",
  openOrganization: 'Open the organization',
  closed: 'This invitation is no longer open',
  closedReason: 'It was answered, cancelled, or is older than a week. Ask for a new one.',
  closedReasonLoggedOut:
    'It was answered, cancelled, or is older than a week. If you accepted it, log in to open the organization. Otherwise ask for a new one.',
  yourOrganizations: 'Your organizations',
  otherAddress:
    'This invitation was sent to another address. You are logged in as <b>{email}</b>. Log in with the address of the invitation.',
  logInOther: 'Log in with another account',
  logoutFailed: 'You could not be logged out. Check your connection and try again.',
} as const

export const t = catalogue('invitation', en)
