/** All login methods of this installation. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { allowGuest, isLoggedOutInTab, onSignedInElsewhere } from '../../lib/browser-session.ts'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { inlinedPage, pageSettings } from '../../lib/page-settings.ts'
import { isLoginProvider, type LoginProvider, loginProviderNames, requestMail, signInWith } from '../../lib/sign-in.ts'
import { hasKeyboard } from '../../lib/viewport.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { LegalLinks } from '../../ui/legal-links/legal-links.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { SignInFrame } from './sign-in-frame.tsx'
import { t } from './texts/en.ts'

const LoginProblem = lazyPart(() => import('./login-problem.tsx').then((module) => module.LoginProblem))

export function LoginPage() {
  /** `error`: the code of a failed link or provider login. */
  const { callbackUrl = '/', error } = useSearch({ from: '/login' })
  const user = inlinedPage?.firstPage.user
  const isAccount = user != null && user.isAnonymous !== true && !isLoggedOutInTab()
  useEffect(() => {
    // A full page load, because the target may be an address of the API.
    if (isAccount && error === undefined) location.replace(callbackUrl)
    return onSignedInElsewhere(() => location.replace(callbackUrl))
  }, [isAccount, error, callbackUrl])
  const providers = pageSettings.signIn.filter(isLoginProvider)
  const hasMail = pageSettings.signIn.includes('mail')
  return (
    <SignInFrame title={firstPaintText('logInTitle')} lead={firstPaintText('logInLead')}>
      {error !== undefined && <LoginProblem code={error} />}
      {providers.length > 0 && <ProviderButtons providers={providers} callbackUrl={callbackUrl} />}
      {providers.length > 0 && hasMail && <Divider />}
      {hasMail && <MailForm callbackUrl={callbackUrl} />}
      {pageSettings.signIn.length === 0 && <p className="text-center text-muted-foreground">{t('loginDisabled')}</p>}
      <div className="flex flex-col gap-2 border-t pt-4 text-center">
        <Link to="/" onClick={allowGuest} className={buttonClass({ variant: 'ghost' })}>
          {t('continueAsGuest')}
        </Link>
        <p className="text-xs text-muted-foreground text-pretty">{t('guestThreadsMove')}</p>
      </div>
      {pageSettings.legal.length > 0 && <LegalLinks links={pageSettings.legal} className="justify-center" />}
    </SignInFrame>
  )
}

const Divider = () => (
  <div
    aria-hidden="true"
    className="flex items-center gap-3 text-xs text-muted-foreground before:h-px before:flex-1 before:bg-border after:h-px after:flex-1 after:bg-border"
  >
    {t('or')}
  </div>
)

function MailForm({ callbackUrl }: { readonly callbackUrl: string }) {
  const [email, setEmail] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isPending, setPending] = useState(false)
  const navigate = useNavigate()

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isPending) return
    if (email.trim() === '') {
      setProblem(t('enterEmail'))
      return
    }
    setPending(true)
    const result = await requestMail(email.trim(), callbackUrl)
    setPending(false)
    if (result.ok) await navigate({ to: '/magic-link' })
    else setProblem(result.message)
  }
  return (
    <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
      <TextField
        label={t('email')}
        // Not of type `email`, because browsers refuse letters beyond ASCII before the @.
        inputMode="email"
        autoCapitalize="none"
        spellCheck={false}
        name="email"
        autoComplete="email"
        autoFocus={hasKeyboard()}
        description={t('emailDescription')}
        error={problem}
        value={email}
        onValueChange={(value) => {
          setEmail(value)
          setProblem(undefined)
        }}
      />
      <Button type="submit" variant="primary" size="lg" pending={isPending}>
        {t('continue')}
      </Button>
    </form>
  )
}

type ProviderButtonsProps = { readonly providers: readonly LoginProvider[]; readonly callbackUrl: string }

/** Each button redirects to the provider. */
function ProviderButtons({ providers, callbackUrl }: ProviderButtonsProps) {
  const [pending, setPending] = useState<LoginProvider | null>(null)
  const [problem, setProblem] = useState<string>()
  const leave = async (provider: LoginProvider) => {
    setPending(provider)
    setProblem(undefined)
    const result = await signInWith(provider, callbackUrl)
    if (result.ok) return
    setProblem(result.message)
    setPending(null)
  }
  return (
    <div className="flex flex-col gap-2">
      {providers.map((provider) => (
        <Button key={provider} size="lg" pending={pending === provider} onClick={() => void leave(provider)}>
          {t('continueWith', { provider: loginProviderNames[provider] })}
        </Button>
      ))}
      {problem && (
        <p role="alert" className="text-xs text-danger text-pretty">
          {problem}
        </p>
      )}
    </div>
  )
}
