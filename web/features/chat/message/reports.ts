/** Toasts for thread actions whose result is not visible otherwise. */
import { type Action, settled } from '../../../sync/actions.ts'
import { toast } from '../../../ui/toaster.tsx'

export const reportCopy = (isCopied: boolean) =>
  isCopied ? toast('success', 'Copied to clipboard') : toast('error', 'The browser did not allow copying')

/** True if the copy of a thread can be opened: at once if all of its messages are loaded, otherwise after the server created it. */
export async function forked(action: Action, isWhole: boolean): Promise<boolean> {
  const reported = report(action)
  return isWhole ? (await action.client).ok : reported
}

/** Resolves with true if the action succeeded. */
export async function report(action: Action): Promise<boolean> {
  const outcome = await settled(action)
  if (!outcome.ok) toast('error', outcome.refusal.message)
  return outcome.ok
}
