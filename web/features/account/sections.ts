/** The settings pages in order. */
export const sections = [
  { to: '/account', name: 'Account', words: 'name sessions devices log out delete export' },
  { to: '/account/subscription', name: 'Subscription', words: 'plan PRO credits usage billing' },
  { to: '/account/preferences', name: 'Preferences', words: 'nickname biography instructions enter' },
  { to: '/account/models', name: 'Models', words: 'pin prices' },
  { to: '/account/appearance', name: 'Appearance', words: 'mode theme dark light colours' },
] as const
