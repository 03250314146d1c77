import { Link, useSearch } from '@tanstack/react-router'
import { allowGuest } from '../../lib/browser-session.ts'
import { canLogIn } from '../../lib/page-settings.ts'
import { buttonClass } from '../../ui/button.tsx'
import { SignInFrame } from './sign-in-frame.tsx'
import { t } from './texts/en.ts'

/** After logging out, or after the account was deleted. */
export function LoggedOutPage() {
  const { deleted: isDeleted = false } = useSearch({ from: '/logged-out' })
  return (
    <SignInFrame title={t(isDeleted ? 'deletedTitle' : 'loggedOutTitle')} lead={t(isDeleted ? 'deletedLead' : 'loggedOutLead')}>
      <div className="flex flex-col gap-2">
        {/* A full page load drops all state of the ended session. */}
        <a href="/" onClick={allowGuest} className={buttonClass({ variant: 'primary', size: 'lg' })}>
          {t('backHome')}
        </a>
        {canLogIn && !isDeleted && (
          <Link to="/login" className={buttonClass({ size: 'lg' })}>
            {t('logInAgain')}
          </Link>
        )}
      </div>
    </SignInFrame>
  )
}
