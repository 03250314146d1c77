import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button.tsx'
import { SignInFrame } from './sign-in-frame.tsx'

export function LoggedOutPage() {
  return (
    <SignInFrame title="You are logged out">
      <p className="text-center text-muted-foreground text-pretty">Going back home starts a new guest session.</p>
      <div className="flex flex-col gap-2">
        {/* A full load: the page forgets everything it knew about the session that ended. */}
        <a href="/" className={buttonClass({ variant: 'primary', size: 'lg' })}>
          Back to home
        </a>
        <Link to="/login" className={buttonClass({ size: 'lg' })}>
          Log in again
        </Link>
      </div>
    </SignInFrame>
  )
}
