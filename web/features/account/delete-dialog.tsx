/** The end of an account. Whoever does it shows that it is theirs, by a code, unless they logged in a moment ago; a guest has nothing to show. */
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { authCall } from '../../lib/auth-call.ts'
import { forgetEverythingUnsent } from '../../stores/forget.ts'
import { useLeave } from '../../sync/provider.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'

type DeleteDialogProps = { readonly email: string; readonly isGuest: boolean; readonly onClose: () => void }

/** Mounted while open. */
export function DeleteDialog({ email, isGuest, onClose }: DeleteDialogProps) {
  const [isCodeWanted, setCodeWanted] = useState(false)
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isPending, setPending] = useState(false)
  const leave = useLeave()
  const navigate = useNavigate()

  const finish = async () => {
    const answer = await authCall('delete-user', {})
    if (answer.ok) {
      leave()
      forgetEverythingUnsent()
      return navigate({ to: '/logged-out', search: { deleted: true }, replace: true })
    }
    if (answer.code !== 'SESSION_NOT_FRESH') return setProblem(answer.message)
    const sent = await authCall('email-otp/send-verification-otp', { email, type: 'sign-in' })
    if (sent.ok) setCodeWanted(true)
    else setProblem(sent.message)
  }
  const confirm = async () => {
    // Signing in again makes a fresh session of the same account.
    const proven = isCodeWanted ? await authCall('sign-in/email-otp', { email, otp: code.trim() }) : null
    if (proven && !proven.ok) setProblem(proven.message)
    else await finish()
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isPending) return
    setPending(true)
    setProblem(undefined)
    await confirm()
    setPending(false)
  }
  return (
    <Dialog open title={isGuest ? 'Delete everything' : 'Delete account'} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)} className="mt-2 flex flex-col gap-4">
        <p className="text-muted-foreground text-pretty">
          Your threads, settings and files are removed from every device, and a subscription ends. This cannot be undone.
        </p>
        {isCodeWanted && (
          <TextField
            label="Code"
            hint={`We wrote to ${email}. Type the code from that mail to show that it is you.`}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={6}
            error={problem}
            value={code}
            onValueChange={(value) => {
              setCode(value)
              setProblem(undefined)
            }}
          />
        )}
        {problem && !isCodeWanted && (
          <p role="alert" className="text-danger text-pretty">
            {problem}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            variant="danger"
            pending={isPending}
            disabledReason={isCodeWanted && code.trim().length < 6 ? 'Type the code first.' : undefined}
          >
            {isGuest ? 'Delete everything' : 'Delete account'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
