/**
 * The conversation brings Markdown with it and an empty page needs neither, so it is fetched by the first thread that is
 * opened, or after the first sign of a person.
 */
import { later } from '../lib/later.ts'
import { Delayed } from '../ui/skeleton.tsx'
import { Spinner } from '../ui/spinner.tsx'

export const ThreadView = later(
  () => import('../features/thread/thread-view.tsx').then((module) => module.ThreadView),
  <div className="flex min-h-0 flex-1 items-center justify-center text-muted-foreground">
    <Delayed label="Opening the thread">
      <Spinner />
    </Delayed>
  </div>,
)
