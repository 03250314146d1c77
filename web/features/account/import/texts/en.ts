import { catalogue } from '../../../../lib/i18n/text-catalogue.ts'

/** Texts of the import of threads. English, in ICU syntax. */
export const en = {
  title: 'Import',
  description:
    'Bring your threads from another product: the export of ChatGPT, Claude, DeepSeek, LibreChat, Open WebUI or Parley, as ZIP or JSON. Your browser reads the file, and only threads and images are sent. If an import was interrupted, choose the same file to continue.',
  chooseFiles: 'Choose files…',
  dropHere: 'or drop them here',
  dropNow: 'Drop the files to import them',
  running: 'Importing {name}',
  progress: 'Progress of the import',
  paused: 'The import is paused. {reason}',
  continueImport: 'Continue',
  continueWithoutImages: 'Continue without images',
  cancel: 'Cancel import',
  done: 'Import finished',
  nothingFound:
    'No threads found. Choose the export of ChatGPT, Claude, DeepSeek, LibreChat, Open WebUI or Parley, as the ZIP or JSON file that you downloaded.',
  canceled: 'Import canceled. Imported threads are kept. Choose the same file to continue.',
  failed: 'The import stopped. Reload the page and choose the same file to continue.',
  importedCount: '{count, plural, =0 {No new threads} one {# thread imported} other {# threads imported}}',
  knownCount: '{count, plural, one {# thread already exists} other {# threads already exist}}',
  problemCount: '{count, plural, one {# problem} other {# problems}}',
  newest: 'Newest imported threads',
  problems: 'Skipped or changed',
  more: '{count, plural, one {# more} other {# more}}',
  untitled: 'Untitled',
  /** `count`: entries of the file. */
  unknown_format: '{count, plural, one {The format is unknown.} other {# entries have an unknown format.}}',
  damaged: 'The entry is damaged and was skipped.',
  empty: 'The thread has no messages.',
  too_large: 'The entry is too large and was skipped.',
  file_damaged: 'The file is damaged. Everything before the damage was read.',
  documents_left_out: 'Files of the archive without threads in a known format were left out.',
  text_shortened: 'A message was too long and was shortened.',
  image_missing: 'An image is missing.',
  image_too_large: 'An image is too large.',
  too_many_images: 'A message has more than {max} images. The first {max} were imported.',
  file_left_out: 'Only the name of a file was imported.',
  tool_results: 'Results of tools were left out.',
  hidden_text: 'Hidden instructions were left out.',
  sources_missing: 'References without a source in the file were removed.',
  unknown_content: 'Content of an unknown kind was left out.',
  /** `list`: numbers of messages in their thread, from 1. */
  turns: '{count, plural, one {Message {list}} other {Messages {list}}}',
  /** Takes the place of an image that is alone in its message. */
  withoutImage: '[image]',
  refused: 'The server refused the thread.',
} as const

export const t = catalogue('imports', en)
