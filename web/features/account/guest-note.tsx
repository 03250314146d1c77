import { Link } from '@tanstack/react-router'
import { useLoginSearch } from '../../lib/navigation.ts'
import { buttonClass } from '../../ui/button.tsx'

/** Tells guests why they should log in. Shown on every page, so at most two lines on a phone. */
export function GuestNote() {
  const loginSearch = useLoginSearch()
  return (
    <aside
      aria-label="Guest"
      className="mt-4 flex items-center gap-3 rounded-lg border border-warning/40 bg-warning/6 px-3 py-2 sm:mt-6 sm:gap-4 sm:p-4"
    >
      <div className="min-w-0 flex-1">
        <h2 className="font-semibold max-sm:sr-only">You are a guest</h2>
        <p className="text-xs text-muted-foreground text-pretty sm:hidden">
          A guest’s threads can be lost. An account keeps them and has more models.
        </p>
        <p className="mt-1 text-muted-foreground text-pretty max-sm:hidden">
          Your threads belong to this browser. They are lost when you log out or clear its data, and removed after 30 days without a visit.
          With an account they are on every device, more models answer, and everything you wrote here comes along.
        </p>
      </div>
      <Link to="/login" search={loginSearch} className={buttonClass({ variant: 'primary' })}>
        Log in
      </Link>
    </aside>
  )
}
