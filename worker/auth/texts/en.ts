/** Texts of our mails. English, in ICU syntax. */
export const en = {
  yourCode: 'Your code is {code}',
  codeSubject: 'Your login code',
  logInTitle: 'Log in to Parley',
  enterCode: 'Enter this code where Parley asks for it. It works once, for five minutes.',
  ignore: 'If you did not request this email, ignore it. Nobody can log in without it.',
  deletionSubject: 'Your code to delete your account',
  deletionTitle: "Confirm it's you",
  deletionReason:
    'A user who is logged in with this address wants to delete the account. To confirm, enter this code where Parley asks for it.',
  codeLife: 'It works once, for five minutes.',
  deletionNote: "If this wasn't you, don't share the code, and revoke unknown sessions in Settings.",
  linkSubject: 'Your magic link',
  openLink:
    'Enter this code where Parley asks for it, or open the link in the browser where you requested it. Each works once, for five minutes.',
  logIn: 'Log in',
  buttonTrouble: 'If the button does not work, open this address:',
  invitationSubject: 'Join {organization} on Parley',
  invitationTitle: 'You are invited to {organization}',
  invitation: '{inviter} invites you to join {organization} on Parley. Log in with this address to accept.',
  seeInvitation: 'See the invitation',
  ignoreInvitation: "If you don't know the sender, ignore this email.",
} as const
