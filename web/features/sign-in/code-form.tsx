import { type FormEvent, useState } from 'react'
import { codeChars, type PendingSignIn, signInByCode } from '../../lib/sign-in.ts'
import { hasKeyboard } from '../../lib/viewport.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { t } from './texts/en.ts'

/** The code from the mail; submitted automatically when it is complete. */
export function CodeForm({ pending }: { readonly pending: PendingSignIn }) {
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isPending, setPending] = useState(false)
  const send = async (whole: string) => {
    if (isPending) return
    setPending(true)
    const result = await signInByCode(pending, whole)
    // After success the browser leaves this page.
    if (result.ok) return
    setPending(false)
    setProblem(result.message)
    setCode('')
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (code.length === codeChars) void send(code)
    // The field was cleared because its code was refused; the refusal stays until the user types.
    else setProblem((known) => known ?? t('codeLength', { digits: codeChars }))
  }
  return (
    <form className="flex flex-col gap-3" onSubmit={submit}>
      <TextField
        label={t('code')}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus={hasKeyboard()}
        placeholder="123456"
        className="[&_input]:text-center [&_input]:font-mono [&_input]:tracking-[0.4em]"
        error={problem}
        value={code}
        onValueChange={(value) => {
          const digits = value.replace(/\D/g, '').slice(0, codeChars)
          setCode(digits)
          setProblem(undefined)
          if (digits.length === codeChars) void send(digits)
        }}
      />
      <Button type="submit" variant="primary" size="lg" pending={isPending}>
        {t('logIn')}
      </Button>
    </form>
  )
}
