import { Link } from '@tanstack/react-router'
import { usePageTitle } from '../../lib/page-title.ts'
import { buttonClass } from '../../ui/button.tsx'

export function NotFoundView() {
  usePageTitle(null)
  return (
    <div className="flex min-h-[60dvh] flex-1 flex-col items-center justify-center gap-4 p-6 text-center">
      <h1 className="text-lg font-semibold">Not found</h1>
      <p className="max-w-md text-muted-foreground text-pretty">Nothing is here, or it is not yours to see.</p>
      <Link to="/" className={buttonClass({ variant: 'primary' })}>
        New thread
      </Link>
    </div>
  )
}
