/** One call at a time: whether it is under way, and its refusal as a toast. What it changed comes back as rows. */
import { useState } from 'react'
import { type CallResult, callOrganization } from '../../lib/organization-calls.ts'
import { toast } from '../../ui/toaster.tsx'

export function useCall(): { readonly isPending: boolean; readonly run: (path: string, body: object, done?: string) => Promise<boolean> } {
  const [isPending, setPending] = useState(false)
  const run = async (path: string, body: object, done?: string) => {
    if (isPending) return false
    setPending(true)
    const result = await callOrganization(path, body)
    setPending(false)
    return told(result, done)
  }
  return { isPending, run }
}

function told(result: CallResult, done: string | undefined): boolean {
  if (!result.ok) toast('error', result.message)
  else if (done) toast('success', done)
  return result.ok
}
