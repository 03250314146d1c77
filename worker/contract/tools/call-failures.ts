/** Why a tool call failed. The code is stored in the part, and the page has a sentence for each; the text beside it is for the model. */
import type { ToolServerFailure } from './tool-servers.ts'

export type CallFailure =
  | ToolServerFailure
  /** The answer ended before the call had a result. `maybe_done`: the call was sent, and sending it twice could do harm. */
  | 'unfinished'
  | 'maybe_done'
  /** An invalid call, or an unexpected error. */
  | 'unexpected'
  | 'input_invalid'
  | 'credits_short'
  | 'answer_ended'
  | 'tool_unavailable'
  | 'tool_changed'
  | 'tool_gone'
  | 'server_removed'
  | 'calls_of_answer'
  | 'calls_of_hour'
  | 'calls_of_organization'
  /** The result does not have the form that the server itself describes. */
  | 'result_form'
  | 'asks_too_often'
  | 'asks_unshown'
  | 'asks_address'
  | 'searches_of_answer'
  | 'searches_of_day'
  | 'pages_of_answer'
  | 'page_not_named'
  | 'page_missing'
  | 'page_slow'
  | 'page_forbidden'
  | 'page_empty'
  | 'page_unread'
  | 'search_key'
  | 'search_funds'
  | 'search_busy'
  | 'search_error'
  | 'search_slow'
  | 'search_unreachable'
  | 'search_unreadable'

/** A failed call in a message. */
export type FailedCall = { readonly errorCode: CallFailure; readonly errorText: string }
