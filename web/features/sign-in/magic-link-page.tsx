/** The screens of a magic link: after the mail was sent, and after its link was opened. */
import { Link, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { ownPath } from '../../../worker/contract/own-path.ts'
import { allowGuest, onSignedInElsewhere } from '../../lib/browser-session.ts'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { pageSettings } from '../../lib/page-settings.ts'
import { publicUrls } from '../../lib/public-urls.ts'
import { codeChars, type PendingSignIn, pendingSignIn, requestMail, signInByCode } from '../../lib/sign-in.ts'
import { libText } from '../../lib/texts/en.ts'
import { hasKeyboard } from '../../lib/viewport.ts'
import { Button, buttonClass, linkClass } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { SignInFrame } from './sign-in-frame.tsx'
import { t } from './texts/en.ts'

/** Without a token, no link was opened. */
export function MagicLinkPage() {
  const fields = useSearch({ from: '/magic-link' })
  return fields.token === undefined ? <MailSent /> : <OpenedLink fields={fields} />
}

/** Enter the code, resend, or use another address. */
function MailSent() {
  const [pending] = useState(pendingSignIn)
  const callbackUrl = pending?.callbackUrl ?? '/'
  useEffect(() => onSignedInElsewhere(() => location.replace(callbackUrl)), [callbackUrl])
  return (
    <SignInFrame
      title={t('mailSent')}
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
      <div className="flex flex-col gap-2 border-t pt-4">
        {pending && <Resend pending={pending} />}
        <Link to="/login" search={callbackUrl === '/' ? {} : { callbackUrl }} className={buttonClass({ variant: 'ghost' })}>
          {t('otherEmail')}
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
    <div className="flex flex-col gap-1 text-center">
      <Button
        variant="ghost"
        pending={isSending}
        className="tabular-nums"
        disabledReason={leftS > 0 ? t('mailTakesAMoment') : undefined}
        onClick={() => void resend()}
      >
        {leftS > 0 ? t('resendIn', { time: `0:${String(leftS).padStart(2, '0')}` }) : t('resend')}
      </Button>
      <p role="status" className="text-xs text-muted-foreground empty:hidden">
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

/** The query of the link, sent back to the server unchanged. */
export type LinkFields = {
  readonly token?: string
  readonly guest?: string
  readonly callbackURL?: string
  readonly errorCallbackURL?: string
}

/** The landing page of the link. Opening it uses nothing: only the form's POST logs in, because mail scanners open every link. */
function OpenedLink({ fields }: { readonly fields: LinkFields }) {
  const callbackUrl = ownPath(fields.callbackURL, location.origin, '/')
  useEffect(() => onSignedInElsewhere(() => location.replace(callbackUrl)), [callbackUrl])
  const link = pageSettings.magicLink
  if (link?.isOwnAccount) return <LoggedInAlready callbackUrl={callbackUrl} />
  if (link?.email === null) return <DeadLink callbackUrl={callbackUrl} />
  // Without the server's answer the form is shown all the same; the server checks the link again.
  const email = link?.email
  const leadOf = (known: 'linkLogsIn' | 'foreignLead', unknown: 'linkLogsInUnknown' | 'foreignLeadUnknown') =>
    email === undefined
      ? t(unknown)
      : t.rich(known, { email, b: (chunks) => <strong className="font-medium break-words">{chunks}</strong> })
  const proof = link?.proof ?? fields.guest
  const form = <LinkForm fields={{ ...fields, ...(proof === undefined ? {} : { guest: proof }) }} />
  if (link?.isForeign !== true)
    return (
      <SignInFrame title={firstPaintText('logInTitle')} lead={leadOf('linkLogsIn', 'linkLogsInUnknown')}>
        {form}
      </SignInFrame>
    )
  return (
    <SignInFrame title={t('foreignTitle')} lead={leadOf('foreignLead', 'foreignLeadUnknown')}>
      {form}
    </SignInFrame>
  )
}

function LinkForm({ fields }: { readonly fields: LinkFields }) {
  const [isSent, setSent] = useState(false)
  const onSubmit = (event: FormEvent) => {
    // A second submission would find the link used.
    if (isSent) event.preventDefault()
    setSent(true)
  }
  useEffect(() => {
    const restore = () => setSent(false)
    // The browser can show this page again from its back/forward cache.
    addEventListener('pageshow', restore)
    return () => removeEventListener('pageshow', restore)
  }, [])
  return (
    <form method="post" action={`${publicUrls().apiUrl}/api/auth/magic-link/verify`} className="flex flex-col gap-2" onSubmit={onSubmit}>
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Button type="submit" variant="primary" size="lg" pending={isSent}>
        {t('logIn')}
      </Button>
      <Link to="/" onClick={allowGuest} className={buttonClass({ size: 'lg' })}>
        {libText('cancel')}
      </Link>
    </form>
  )
}

function LoggedInAlready({ callbackUrl }: { readonly callbackUrl: string }) {
  return (
    <SignInFrame title={t('alreadyLoggedIn')} lead={t('alreadyLoggedInLead')}>
      <a href={callbackUrl} className={buttonClass({ variant: 'primary', size: 'lg' })}>
        {t('continueToParley')}
      </a>
    </SignInFrame>
  )
}

function DeadLink({ callbackUrl }: { readonly callbackUrl: string }) {
  return (
    <SignInFrame title={t('deadTitle')} lead={t('deadLead')}>
      <div className="flex flex-col gap-2">
        <Link to="/login" search={callbackUrl === '/' ? {} : { callbackUrl }} className={buttonClass({ variant: 'primary', size: 'lg' })}>
          {t('getNewLink')}
        </Link>
        <Link to="/" onClick={allowGuest} className={buttonClass({ size: 'lg' })}>
          {t('backHome')}
        </Link>
      </div>
    </SignInFrame>
  )
}
