import { catalogue } from '../../lib/i18n/text-catalogue.ts'

/** Texts of the components. English, in ICU syntax. */
export const en = {
  retry: 'Retry',
  showError: 'Show Error',
  hideError: 'Hide Error',
  partFailed: "{part} can't be shown.",
  copyDenied: "The browser didn't allow copying",
  copied: 'Copied',
  saved: 'Saved',
  tooManyChars: '{excess, plural, one {# character too many.} other {# characters too many.}}',
  reasoning: 'Reasoning',
  vision: 'Vision',
  documents: 'Documents',
  tools: 'Tools',
  imageGone: '{name} is no longer available',
  gone: 'No longer available',
  openNamed: 'Open {name}',
  fitToWindow: 'Fit to window',
  fullSize: 'Full size',
  atOf: '{at, number} of {count, number}',
  download: 'Download',
  largeImage: '{name}, large',
  previousImage: 'Previous image',
  nextImage: 'Next image',
  loading: 'Loading',
  ownServer: 'Own server',
  open: 'Open',
  dismiss: 'Dismiss',
} as const

export const t = catalogue('ui', en)
