/** The landing page of a magic link. Opening it uses nothing: only the form's POST logs in, because mail scanners open every link. */
import { Link } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { ownPath } from '../../../worker/contract/own-path.ts'
import { allowGuest, onSignedInElsewhere } from '../../lib/browser-session.ts'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { pageSettings } from '../../lib/page-settings.ts'
import { publicUrls } from '../../lib/public-urls.ts'
import { libText } from '../../lib/texts/en.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { SignInFrame } from './sign-in-frame.tsx'
import { t } from './texts/en.ts'

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
