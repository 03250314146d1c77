/** What a tool of a server returned, as it is stored in the message and shown. Bounded, and without characters that a user cannot see. */
export type ServerContent =
  | { readonly type: 'text'; readonly text: string }
  /** Base64 of an image type that browsers show. */
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'link'; readonly url: string; readonly title: string }

export type ServerToolOutput = {
  readonly content: readonly ServerContent[]
  /** Structured content. Absent if the text has the same. */
  readonly data?: unknown
  /** The tool reports that it failed; the text says why. */
  readonly isError?: true
  /** Something was left out, because it was too large or of an unknown kind. */
  readonly isCut?: true
}
