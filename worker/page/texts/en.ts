/** Texts of shared pages, which the server writes. English. */
export const en = {
  untitled: 'Shared conversation',
  continue: 'Continue in your own copy',
  sharedBy: 'Shared by',
  shared: 'Shared',
  question: 'Question',
  answer: 'Answer',
  noText: 'This answer has no text.',
  sources: 'Sources',
  image: 'Image',
  file: 'file',
  disclaimer: 'Answers are written by AI models and can be wrong.',
  missing: "This page isn't available",
  missingReason: 'The link is wrong, has expired or was revoked.',
  tooMany: 'Too many requests',
  tooManyReason: 'Wait a minute and reload this page.',
  start: 'Start a conversation',
} as const
