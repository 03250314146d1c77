/** How what was done in a conversation is told, where it shows nowhere else. */
import { type Action, settled } from '../../sync/actions.ts'
import { toast } from '../../ui/toaster.tsx'

export const reportCopy = (isCopied: boolean) =>
  isCopied ? toast('success', 'Copied to clipboard') : toast('error', 'The browser did not allow copying')

/** Whether it was done. */
export async function report(action: Action): Promise<boolean> {
  const outcome = await settled(action)
  if (!outcome.ok) toast('error', outcome.refusal.message)
  return outcome.ok
}
