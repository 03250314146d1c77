import { Link } from '@tanstack/react-router'
import { allowGuest } from '../../lib/browser-session.ts'
import { buttonClass } from '../../ui/button.tsx'
import { SignInFrame } from './sign-in-frame.tsx'

/** `isDeleted`: the account no longer exists. */
export function LoggedOutPage({ isDeleted }: { readonly isDeleted: boolean }) {
  return (
    <SignInFrame
      title={isDeleted ? 'Everything is deleted' : 'You are logged out'}
      lead={isDeleted ? 'Nothing of yours is left here. You can start again as a guest.' : 'Going back home starts a new guest session.'}
    >
      <div className="flex flex-col gap-2">
        {/* A full page load drops all state of the ended session. */}
        <a href="/" onClick={allowGuest} className={buttonClass({ variant: 'primary', size: 'lg' })}>
          Back to home
        </a>
        {!isDeleted && (
          <Link to="/login" className={buttonClass({ size: 'lg' })}>
            Log in again
          </Link>
        )}
      </div>
    </SignInFrame>
  )
}
