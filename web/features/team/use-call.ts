/** One call at a time, with its pending state. Shows a refusal as a toast unless `onRefused` handles it. Results arrive as synced rows. */
import { useState } from 'react'
import { type CallResult, callOrganization } from '../../lib/organization-calls.ts'
import { toast } from '../../ui/toaster.tsx'

type OnRefused = (refused: CallResult & { readonly ok: false }) => boolean
type Run = (path: string, body: object, done?: string, onRefused?: OnRefused) => Promise<boolean>

export function useCall(): { readonly isPending: boolean; readonly run: Run } {
  const [isPending, setPending] = useState(false)
  const run: Run = async (path, body, done, onRefused) => {
    if (isPending) return false
    setPending(true)
    const result = await callOrganization(path, body)
    setPending(false)
    if (!result.ok && onRefused?.(result)) return false
    return reportCall(result, done)
  }
  return { isPending, run }
}

function reportCall(result: CallResult, done: string | undefined): boolean {
  if (!result.ok) toast('error', result.message)
  else if (done) toast('success', done)
  return result.ok
}
