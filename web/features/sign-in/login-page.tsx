/** Signing in with a link by e-mail. */
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { requestMagicLink } from '../../lib/sign-in.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { SignInFrame } from './sign-in-frame.tsx'

type LoginPageProps = {
  readonly callbackUrl: string
  /** The person comes from a link that no longer works. */
  readonly isLinkSpent: boolean
}

export function LoginPage({ callbackUrl, isLinkSpent }: LoginPageProps) {
  const [email, setEmail] = useState('')
  const [error, setError] = useState<string>()
  const [isPending, setPending] = useState(false)
  const navigate = useNavigate()

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isPending) return
    setPending(true)
    const result = await requestMagicLink(email.trim(), callbackUrl)
    setPending(false)
    if (result.ok) await navigate({ to: '/magic-link' })
    else setError(result.message)
  }
  return (
    <SignInFrame title="Log in to Parley">
      {isLinkSpent && (
        <p role="alert" className="text-center text-warning text-pretty">
          That link has expired or was already used. Ask for a new one.
        </p>
      )}
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <TextField
          label="E-mail"
          type="email"
          name="email"
          required
          autoComplete="email"
          hint="We send you a link that logs you in. No password is needed."
          error={error}
          value={email}
          onValueChange={(value) => {
            setEmail(value)
            setError(undefined)
          }}
        />
        <Button type="submit" variant="primary" size="lg" pending={isPending}>
          Continue
        </Button>
      </form>
      <p className="text-center text-xs text-muted-foreground text-pretty">What you wrote as a guest stays with the guest session.</p>
      <Link to="/" className={buttonClass({ variant: 'ghost' })}>
        Go on as a guest
      </Link>
    </SignInFrame>
  )
}
