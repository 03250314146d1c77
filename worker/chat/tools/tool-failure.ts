/** A tool that could not do its work, in a sentence that both the person and the model read. Everything else that is thrown is a surprise. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'

  /** What the SDK tells the model. */
  override toString(): string {
    return this.message
  }
}

/** How every telling of such a failure begins. */
export const unreadPage = 'No page was read: '

/** A failure that a site had a hand in. Its sentence is ours, but which one it is tells the model something of the web. */
export class PageFailure extends ToolFailure {
  override toString(): string {
    return `${unreadPage}${this.message}`
  }
}

/** Surprises are not shown: their texts may name keys and addresses. */
export const toolErrorText = (error: unknown): string =>
  error instanceof ToolFailure ? error.message : 'The tool could not be used this way.'
