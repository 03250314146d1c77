/** After a mail was asked for: the code from it, another mail, another address. And before a link is used that somebody else may have sent. */
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { allowGuest, onSignedInElsewhere } from '../../lib/browser-session.ts'
import { pageHint } from '../../lib/page-hint.ts'
import { type PendingSignIn, pendingSignIn, requestMail } from '../../lib/sign-in.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { linkClass } from '../../ui/link-class.ts'
import { CodeForm } from './code-form.tsx'
import { SignInFrame } from './sign-in-frame.tsx'

/** `link`: of a link that was asked for in another browser, with what the server needs to go on with it. */
export function MagicLinkPage({ link }: { readonly link: string | undefined }) {
  const [pending] = useState(pendingSignIn)
  const callbackUrl = pending?.callbackUrl ?? '/'
  useEffect(() => onSignedInElsewhere(() => location.replace(callbackUrl)), [callbackUrl])
  if (link !== undefined) return <ForeignLink link={link} />
  return (
    <SignInFrame
      title="Magic link sent"
      lead={
        <>
          {pending ? (
            <>
              We wrote to <strong className="font-medium break-words text-foreground">{pending.email}</strong>.
            </>
          ) : (
            'We wrote to you.'
          )}{' '}
          Open the link in this browser{pending ? ', or type the code from the mail' : ''}. It works once, for five minutes.
        </>
      }
    >
      {pageHint.outbox && (
        <p className="rounded-lg border px-3.5 py-2.5 text-center text-pretty">
          No mail company is set up here.{' '}
          <a href="/api/outbox" target="_blank" rel="noreferrer" className={linkClass}>
            Open the outbox
          </a>
        </p>
      )}
      {pending && <CodeForm pending={pending} />}
      {pending && <Resend pending={pending} />}
      <div className="flex flex-col gap-2 border-t pt-4">
        <Link to="/login" search={callbackUrl === '/' ? {} : { callbackUrl }} className={buttonClass()}>
          Try another e-mail
        </Link>
        <Link to="/" onClick={allowGuest} className={buttonClass({ variant: 'ghost' })}>
          Back to home
        </Link>
      </div>
    </SignInFrame>
  )
}

/** Ours: mail is slower than impatience, and a new code ends the old one. */
const resendAfterS = 30

function Resend({ pending }: { readonly pending: PendingSignIn }) {
  const [leftS, setLeftS] = useState(resendAfterS)
  const [said, setSaid] = useState<string>()
  const [isSending, setSending] = useState(false)
  useEffect(() => {
    if (leftS === 0) return undefined
    const timer = setTimeout(() => setLeftS(leftS - 1), 1000)
    return () => clearTimeout(timer)
  }, [leftS])
  const resend = async () => {
    setSending(true)
    const answer = await requestMail(pending.email, pending.callbackUrl)
    setSending(false)
    setSaid(answer.ok ? 'Another mail is on its way.' : answer.message)
    if (answer.ok) setLeftS(resendAfterS)
  }
  return (
    <div className="flex flex-col items-center gap-1 text-center">
      <Button
        variant="ghost"
        pending={isSending}
        disabledReason={leftS > 0 ? `You can ask again in ${leftS} seconds.` : undefined}
        onClick={() => void resend()}
      >
        Send it again
      </Button>
      <p role="status" className="min-h-4 text-xs text-muted-foreground">
        {said}
      </p>
    </div>
  )
}

function ForeignLink({ link }: { readonly link: string }) {
  return (
    <SignInFrame
      title="Did you ask for this link?"
      lead="You did not ask for it here. Logging in with it takes this browser to its account, and the threads you wrote here as a guest with it. If somebody sent it to you, do not go on."
    >
      <div className="flex flex-col gap-2">
        <a href={link} className={buttonClass({ variant: 'primary', size: 'lg' })}>
          Log in with this link
        </a>
        <Link to="/" onClick={allowGuest} className={buttonClass({ size: 'lg' })}>
          Stay as I am
        </Link>
      </div>
    </SignInFrame>
  )
}
