/**
 * All refusal codes with their default sentence. Codes are stable; sentences may change. Mutators throw refusals through `refuse.ts`; the JSON
 * API sends the same shape as its error body.
 */

export const refusals = {
  invalid_request: 'That request could not be understood.',
  message_empty: 'Message cannot be empty',
  message_too_long: 'This message is too long. Shorten it and send it again.',
  row_too_large: 'This is too large to store. Shorten it and try again.',
  title_empty: 'A thread needs a title.',
  project_name: 'Enter a name of up to 60 characters.',
  project_limit_reached: 'You have 100 projects. Delete one to create another.',
  not_found: 'Not found',
  not_authorized: 'Not authorized',
  session_required: 'Your session has ended. Reload the page to start a new one.',
  thread_busy: 'An answer is still being written in this thread. Wait for it or stop it first.',
  fork_too_long: 'This conversation is too long to be forked. Fork it from an earlier message.',
  queued_changed: 'This was changed elsewhere meanwhile.',
  queue_full: 'This many messages wait already. Remove one, or wait for the answer.',
  no_model: 'No model selected',
  model_unavailable: 'This model is not available right now. Choose another one.',
  account_required: 'Account required for this model',
  premium_required: 'Premium required for this model',
  credits_exhausted: 'Daily usage limit reached',
  credits_short: 'This costs more credits than you have left today',
  guest_limit_reached: 'Guest usage is exhausted for today. Log in to continue.',
  captcha_required: 'Confirm that you are human to continue.',
  captcha_failed: 'The check failed. Try again.',
  captcha_unavailable: 'The check could not be completed. Try again in a moment.',
  model_retired: 'This model is no longer offered. Choose another one.',
  model_not_connected: 'This model is not connected here. Choose another one.',
  no_model_connected: 'No AI model is connected to this server. Its operator has to connect one.',
  model_not_installed: 'This model is not on the connected server any more. Choose another one.',
  model_unreachable_now: 'The server of this model cannot be reached right now. Choose another one, or try again later.',
  images_unsupported: 'This model cannot read images. Choose one that can, or remove them.',
  documents_unsupported: 'This model cannot read PDFs. Choose one that can, or remove them.',
  file_type: 'Only images (PNG, JPEG, GIF, WebP), PDFs and UTF-8 text can be attached.',
  file_empty: 'This file is empty.',
  file_too_large: 'This file is too large. An image may have 8 MB, a PDF 32 MB, a text 8 MB.',
  image_too_large: 'Too large for the models. Use PNG or JPEG with at most 3.75 MB.',
  file_incomplete: 'This file did not arrive whole. Try again.',
  range_unsatisfiable: 'This file ends before the part that was asked for.',
  file_missing: 'A file of this message is no longer there. Remove it and attach it again.',
  too_many_files: 'A message can have 5 files at most.',
  storage_full: 'Your storage for files is full. Delete threads with files that you no longer need.',
  storage_held: 'Files of what you deleted fill your storage. Each goes by itself 30 days after it was deleted.',
  content_full: 'Your storage for messages is full. Delete threads you no longer need. Deleted threads still count for 30 days.',
  fork_limit_reached: 'Daily limit of forks reached. The limit resets at 00:00 UTC.',
  mutation_limit_reached: 'Daily limit of changes reached. You can still delete and stop answers. The limit resets at 00:00 UTC.',
  uploads_too_often: 'That is a lot of files in one hour. Wait a while and try again.',
  files_uploading: 'Files are still uploading. Send when they are there.',
  file_failed: 'A file could not be uploaded. Try it again, or remove it.',
  upload_failed: 'The connection broke off. Try again.',
  files_unavailable: 'Attachments are not set up here',
  tools_unsupported: 'This model cannot use tools',
  tool_limit_reached: 'Daily limit of searches or researches reached',
  plan_limit_reached: 'That is a lot of plans for one day. Start one of them, or plan again tomorrow.',
  search_unavailable: 'Search is not set up here',
  research_account_required: 'Research needs an account with PRO',
  research_premium_required: 'Research is only available with PRO',
  plan_full: 'A plan has no more steps than this.',
  plan_empty: 'A plan needs at least one step.',
  plan_set_aside: 'This plan was set aside. Take it up again to start it.',
  plan_started: 'This plan was started meanwhile. To have another report, go back to the plan and start it again.',
  plan_passed: 'The conversation has gone on since this plan. Go back to it, or ask for a new one.',
  last_pin: 'At least one model stays pinned.',
  name_invalid: 'The name is empty, too long, or contains a link.',
  slug_invalid: 'A short name for addresses is made of lower-case letters, digits and single dashes.',
  logo_invalid: 'A logo is a small PNG, JPEG or WebP picture.',
  last_owner: 'An organization keeps at least one owner. Make somebody else owner first, or delete the organization.',
  invitation_answered: 'This invitation was accepted, declined or withdrawn in the meantime.',
  export_running: 'An export of your data is already running. Wait until it has finished, then try again.',
  exports_too_often: 'You have exported your data 5 times in one hour. Try again in an hour.',
  too_many_readers: 'This answer is open in too many places. Close some of them and try again.',
  rate_limited: 'Too many requests. Wait a moment and try again.',
  not_configured: 'This part of the product is not set up here.',
  internal: 'Something went wrong on our side. Try again.',
} as const

export type RefusalCode = keyof typeof refusals

/** Error body of the JSON API, and `details` of a rejected mutation. */
export type Refusal = { readonly code: RefusalCode; readonly message: string }

export const refusal = (code: RefusalCode): Refusal => ({
  code,
  message: refusals[code],
})

export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === 'object' && value !== null && 'code' in value && typeof value.code === 'string' && Object.hasOwn(refusals, value.code)
