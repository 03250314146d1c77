import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button.tsx'
import { SignInFrame } from './sign-in-frame.tsx'

export function MagicLinkPage() {
  return (
    <SignInFrame title="Magic link sent">
      <p className="text-center text-muted-foreground text-pretty">
        Open the link in the mail we sent you, in this browser. It works once and only for a few minutes.
      </p>
      <div className="flex flex-col gap-2">
        <Link to="/" className={buttonClass({ variant: 'primary', size: 'lg' })}>
          Back to home
        </Link>
        <Link to="/login" className={buttonClass({ size: 'lg' })}>
          Try another e-mail
        </Link>
      </div>
    </SignInFrame>
  )
}
