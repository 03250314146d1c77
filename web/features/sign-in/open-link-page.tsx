/** The landing page of a magic link. Opening it uses nothing: only the form's POST logs in, because mail scanners open every link. */
import { Link } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { ownPath } from '../../../worker/contract/own-path.ts'
import { allowGuest, onSignedInElsewhere } from '../../lib/browser-session.ts'
import { pageSettings } from '../../lib/page-settings.ts'
import { publicUrls } from '../../lib/public-urls.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { SignInFrame } from './sign-in-frame.tsx'

/** The query of the link, sent back to the server unchanged. */
export type LinkFields = {
  readonly token?: string
  readonly guest?: string
  readonly callbackURL?: string
  readonly errorCallbackURL?: string
}

export function OpenLinkPage({ fields }: { readonly fields: LinkFields }) {
  const callbackUrl = ownPath(fields.callbackURL, location.origin, '/')
  useEffect(() => onSignedInElsewhere(() => location.replace(callbackUrl)), [callbackUrl])
  const link = pageSettings.magicLink
  if (link?.isOwnAccount) return <LoggedInAlready callbackUrl={callbackUrl} />
  if (link?.email === null) return <DeadLink callbackUrl={callbackUrl} />
  // Without the server's answer the form is shown all the same; the server checks the link again.
  const account =
    link?.email === undefined ? 'the account it was sent to' : <strong className="font-medium break-words">{link.email}</strong>
  const proof = link?.proof ?? fields.guest
  const form = <LinkForm fields={{ ...fields, ...(proof === undefined ? {} : { guest: proof }) }} />
  if (link?.isForeign !== true)
    return (
      <SignInFrame title="Log in to Parley" lead={<>This link logs you in as {account}.</>}>
        {form}
      </SignInFrame>
    )
  return (
    <SignInFrame
      title="Did you ask for this link?"
      lead={
        <>
          This browser did not request it. If you continue, it logs in as {account}, and guest threads in this browser move to that account.
          If someone else sent you this link, cancel.
        </>
      }
    >
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
        Log in
      </Button>
      <Link to="/" onClick={allowGuest} className={buttonClass({ size: 'lg' })}>
        Cancel
      </Link>
    </form>
  )
}

function LoggedInAlready({ callbackUrl }: { readonly callbackUrl: string }) {
  return (
    <SignInFrame title="You are already logged in" lead="This link is for your account, and you don’t need it any more.">
      <a href={callbackUrl} className={buttonClass({ variant: 'primary', size: 'lg' })}>
        Continue to Parley
      </a>
    </SignInFrame>
  )
}

function DeadLink({ callbackUrl }: { readonly callbackUrl: string }) {
  return (
    <SignInFrame title="This link no longer works" lead="It has expired or was already used. Each link works once, for five minutes.">
      <div className="flex flex-col gap-2">
        <Link to="/login" search={callbackUrl === '/' ? {} : { callbackUrl }} className={buttonClass({ variant: 'primary', size: 'lg' })}>
          Get a new link
        </Link>
        <Link to="/" onClick={allowGuest} className={buttonClass({ size: 'lg' })}>
          Back to home
        </Link>
      </div>
    </SignInFrame>
  )
}
