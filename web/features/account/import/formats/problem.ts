/** What an import reports to the user. Everything that was not imported is a problem with its place. */

/** Why an entry, or a part of it, was not imported. */
export type ProblemReason =
  | 'unknown_format'
  | 'damaged'
  | 'empty'
  | 'too_large'
  | 'file_damaged'
  | 'documents_left_out'
  | 'text_shortened'
  | 'image_missing'
  | 'image_too_large'
  | 'too_many_images'
  | 'file_left_out'
  | 'tool_results'
  | 'hidden_text'
  | 'sources_missing'
  | 'unknown_content'
  | 'refused'

export type Problem = {
  /** The title of the thread, or the name of the file. */
  readonly title: string | null
  readonly reason: ProblemReason
  /** Positions of messages in their branch, from 1. */
  readonly turns?: readonly number[]
  /** Names of the files that this is about. */
  readonly names?: readonly string[]
  /** Number of entries of a file that this is about. */
  readonly count?: number
}
