/** One call at a time, with its pending state. Shows a refusal as a toast. Results arrive as synced rows. */
import { useState } from 'react'
import { authCall } from '../../lib/auth-call.ts'
import { toast } from '../../ui/toaster.tsx'

type Run = (path: string, body: object, done?: string) => Promise<boolean>

export function useCall(): { readonly isPending: boolean; readonly run: Run } {
  const [isPending, setPending] = useState(false)
  const run: Run = async (path, body, done) => {
    if (isPending) return false
    setPending(true)
    const result = await authCall(`organization/${path}`, body)
    setPending(false)
    if (!result.ok) toast('error', result.message)
    else if (done) toast('success', done)
    return result.ok
  }
  return { isPending, run }
}
