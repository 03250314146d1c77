import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button.tsx'

/** What a guest should know before it is too late, and what an account gives. */
export function GuestNote() {
  return (
    <aside
      aria-label="Guest"
      className="mt-6 flex flex-col gap-4 rounded-lg border border-warning/40 bg-warning/6 p-4 sm:flex-row sm:items-center"
    >
      <div className="min-w-0 flex-1">
        <h2 className="font-semibold">You are a guest</h2>
        <p className="mt-1 text-muted-foreground text-pretty">
          Your threads belong to this browser. They are lost when you log out or clear its data, and removed after 30 days without a visit.
          With an account they are on every device, more models answer, and everything you wrote here comes along.
        </p>
      </div>
      <Link to="/login" search={{ callbackUrl: '/account' }} className={buttonClass({ variant: 'primary' })}>
        Log in
      </Link>
    </aside>
  )
}
