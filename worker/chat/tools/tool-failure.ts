import type { CallFailure, FailedCall } from '../../contract/tools/call-failures.ts'
import { logger } from '../../lib/logger.ts'

/** A tool call that failed for a known reason. The user reads the sentence of the code, and the model the message. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
  readonly code: CallFailure

  constructor(code: CallFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

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
export const failedCall = (error: unknown): FailedCall => {
  const { code, message } = error instanceof ToolFailure ? error : unexpected
  return { errorCode: code, errorText: message }
}

const unexpected = { code: 'unexpected', message: 'The tool could not be used this way.' } as const

/** Logs an unexpected error and hides its text from the model. */
export async function withoutUnexpectedErrors<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ToolFailure || signal.aborted) throw error
    logger.error('tool_failed', error)
    const { errorCode, errorText } = failedCall(error)
    throw new ToolFailure(errorCode, errorText)
  }
}
