import { catalogue } from '../../../../lib/i18n/text-catalogue.ts'

/** Texts of queued messages. English, in ICU syntax. */
export const en = {
  queuedMessages: 'Queued messages',
  sentAfterAnswer: 'Sent when the answer is done',
  sendNow: 'Send now',
  sendWithout: 'Send without {mode}',
  planUnavailable: 'Queue paused. It waits for a plan or a tool of an answer that was deleted or is another version.',
  paused: 'Queue paused. {reason}',
  sentAfterReset: '{reason}. Sent automatically after the reset at {time}.',
  stopped: 'You stopped the previous answer.',
  interrupted: 'The previous answer was interrupted.',
  failed: 'The previous answer failed.',
  planWaiting: 'The previous research plan waits for your approval.',
  approvalWaiting: 'The previous answer waits for your approval of a tool.',
  inputWaiting: 'A tool server asks you for input for the previous answer.',
  noModel: 'The model of the first queued message is no longer offered. Choose another one.',
  noImages: "The model of the first queued message can't read images. Choose another one.",
  noPdfs: "The model of the first queued message can't read PDFs. Choose another one.",
  unreachable: "The server of the first queued message's model can't be reached. Choose another model, or send the message later.",
  queuedMessage: 'Queued message',
  sendWithModel: 'Send with another model',
  editQueued: 'Edit queued message',
  removeQueued: 'Remove from queue',
  leftQueue: 'This message was sent or removed before you could edit it. Its text is in the message field.',
} as const

export const t = catalogue('queue', en)
