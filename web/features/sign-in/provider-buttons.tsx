import { useState } from 'react'
import { type LoginProvider, loginProviderNames } from '../../lib/login-providers.ts'
import { signInWith } from '../../lib/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { t } from './texts/en.ts'

type ProviderButtonsProps = { readonly providers: readonly LoginProvider[]; readonly callbackUrl: string }

/** Each button redirects to the provider. */
export function ProviderButtons({ providers, callbackUrl }: ProviderButtonsProps) {
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
