import { catalogue } from '../../../i18n/text-catalogue.ts'

/** Why a message cannot be sent, or a mode or a file cannot be chosen: refusals of the first screen, by code. English, in ICU syntax. */
export const en = {
  message_empty: 'Message cannot be empty',
  message_too_long: 'This message is too long. Shorten it and send it again.',
  message_too_long_by: 'A message can have up to {max, number} characters. Remove {excess, number}.',
  message_over_budget: 'This message is too long for this model in your plan. Shorten it, remove files, or choose another model.',
  thread_busy: 'An answer is still being written in this thread. Wait for it or stop it first.',
  no_model: 'No model selected',
  model_unavailable: 'This model is not available right now. Choose another one.',
  account_required: 'Account required for this model',
  premium_required: 'This model needs PRO',
  credits_exhausted: 'Daily usage limit reached',
  credits_short: 'This costs more credits than you have left today',
  credits_short_by: 'Costs about {credits, plural, one {# credit} other {# credits}}, you have {left, number} today',
  credits_above_day: 'Costs more credits than a day has. Start a new thread, or choose a cheaper model.',
  credits_above_day_by:
    'Costs about {credits, number} credits, and a day has {limit, number}. Start a new thread, or choose a cheaper model.',
  own_daily_limit_reached: 'Too little is left of your daily limit',
  own_monthly_limit_reached: 'Too little is left of your monthly limit',
  turn_credits_short: 'Above the credit limit of this thread',
  model_retired: 'This model is no longer offered. Choose another one.',
  model_not_connected: 'This model is not connected. Choose another one.',
  no_model_connected: 'No model is connected to this server. Its operator has to connect one.',
  model_not_installed: 'This model is no longer on the connected server. Choose another one.',
  model_unreachable_now: "The server of this model can't be reached. Choose another model, or try again later.",
  images_unsupported: "This model can't read images. Choose another model, or remove them.",
  documents_unsupported: "This model can't read PDFs. Choose another model, or remove them.",
  file_missing: 'A file of this message is no longer stored. Remove it and attach it again.',
  files_uploading: 'Waiting for files to upload',
  file_failed: 'A file could not be uploaded. Try again, or remove it.',
  content_full: 'Your storage for messages is full. Delete threads you no longer need. Deleted threads still count for 30 days.',
  files_unavailable: "Attachments aren't configured",
  tools_unsupported: 'This model cannot use tools',
  tool_limit_reached: 'Daily limit reached',
  search_unavailable: "Search isn't configured",
  research_account_required: 'Research needs an account with PRO',
  research_premium_required: 'Research is only available with PRO',
} as const

export const sendingText = catalogue('sendingRefusals', en)
