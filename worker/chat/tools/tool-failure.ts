/** A tool call that failed for a known reason. The user and the model read its message. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'

  /** The SDK sends this text to the model. */
  override toString(): string {
    return this.message
  }
}

/** Prefix of a `PageFailure` in the model's messages; `isFromOutside` looks for it. */
export const unreadPage = 'No page was read: '

/** A failure that a site can influence. The choice of the sentence gives the model information from the web. */
export class PageFailure extends ToolFailure {
  override toString(): string {
    return `${unreadPage}${this.message}`
  }
}

/** The text of an unexpected error is hidden: it may contain keys and addresses. */
export const toolErrorText = (error: unknown): string =>
  error instanceof ToolFailure ? error.message : 'The tool could not be used this way.'
