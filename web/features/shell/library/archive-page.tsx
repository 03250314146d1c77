import { ArchiveRestore } from 'lucide-react'
import { useState } from 'react'
import { titleOf } from '../../../../worker/contract/display-names.ts'
import { threadPageSize } from '../../../../worker/contract/limits.ts'
import { useArchivedThreads } from '../../../sync/organise.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { useThreadActions } from '../use-thread-actions.ts'
import { LibraryFrame } from './library-frame.tsx'
import { ThreadItems } from './thread-items.tsx'

export function ArchivePage() {
  const [limit, setLimit] = useState(threadPageSize)
  const { archive } = useThreadActions()
  return (
    <LibraryFrame title="Archive">
      <p className="mt-1 mb-4 text-muted-foreground text-pretty">
        Archived threads are not in the sidebar. A new message restores a thread.
      </p>
      <ThreadItems
        {...useArchivedThreads(limit)}
        onMore={() => setLimit(limit + threadPageSize)}
        empty="No archived threads."
        action={(thread) => (
          <IconButton label={`Restore ${titleOf(thread)}`} hint="Restore" onClick={() => archive(thread)}>
            <ArchiveRestore />
          </IconButton>
        )}
      />
    </LibraryFrame>
  )
}
