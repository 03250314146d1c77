/** The screen after a mail was sent: enter the code, resend, or use another address. */
import { Link } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { allowGuest, onSignedInElsewhere } from '../../lib/browser-session.ts'
import { pageSettings } from '../../lib/page-settings.ts'
import { codeChars, type PendingSignIn, pendingSignIn, requestMail, signInByCode } from '../../lib/sign-in.ts'
import { hasKeyboard } from '../../lib/viewport.ts'
import { Button, buttonClass, linkClass } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { SignInFrame } from './sign-in-frame.tsx'
import { t } from './texts/en.ts'

export function MagicLinkPage() {
  const [pending] = useState(pendingSignIn)
  const callbackUrl = pending?.callbackUrl ?? '/'
  useEffect(() => onSignedInElsewhere(() => location.replace(callbackUrl)), [callbackUrl])
  return (
    <SignInFrame
      title={t('magicLinkSent')}
      lead={
        pending
          ? t.rich('sentTo', {
              email: pending.email,
              b: (chunks) => <strong className="font-medium break-words text-foreground">{chunks}</strong>,
            })
          : t('checkEmail')
      }
    >
      {pageSettings.outbox && (
        <p className="rounded-lg border px-3.5 py-2.5 text-center text-pretty">
          {t('emailNotConfigured')}{' '}
          <a href="/api/outbox" target="_blank" rel="noreferrer" className={linkClass}>
            {t('openOutbox')}
          </a>
        </p>
      )}
      {pending && <CodeForm pending={pending} />}
      {pending && <Resend pending={pending} />}
      <div className="flex flex-col gap-2 border-t pt-4">
        <Link to="/login" search={callbackUrl === '/' ? {} : { callbackUrl }} className={buttonClass()}>
          {t('otherEmail')}
        </Link>
        <Link to="/" onClick={allowGuest} className={buttonClass({ variant: 'ghost' })}>
          {t('backHome')}
        </Link>
      </div>
    </SignInFrame>
  )
}

/** Chosen: mail takes a while, and a new code invalidates the old one. */
const resendAfterS = 30

function Resend({ pending }: { readonly pending: PendingSignIn }) {
  const [leftS, setLeftS] = useState(resendAfterS)
  const [message, setMessage] = useState<string>()
  const [isSending, setSending] = useState(false)
  useEffect(() => {
    if (leftS === 0) return undefined
    const timer = setTimeout(() => setLeftS(leftS - 1), 1000)
    return () => clearTimeout(timer)
  }, [leftS])
  const resend = async () => {
    setSending(true)
    const result = await requestMail(pending.email, pending.callbackUrl)
    setSending(false)
    setMessage(result.ok ? t('emailSentAgain') : result.message)
    if (result.ok) setLeftS(resendAfterS)
  }
  return (
    <div className="flex flex-col items-center gap-1 text-center">
      <Button
        variant="ghost"
        pending={isSending}
        disabledReason={leftS > 0 ? t('resendIn', { seconds: leftS }) : undefined}
        onClick={() => void resend()}
      >
        {t('resend')}
      </Button>
      <p role="status" className="min-h-4 text-xs text-muted-foreground">
        {message}
      </p>
    </div>
  )
}

/** The code from the mail; submitted automatically when it is complete. */
function CodeForm({ pending }: { readonly pending: PendingSignIn }) {
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
