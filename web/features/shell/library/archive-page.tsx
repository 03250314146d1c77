import { ArchiveRestore } from 'lucide-react'
import { useState } from 'react'
import { titleOf } from '../../../../worker/contract/display-names.ts'
import { threadPageSize } from '../../../../worker/contract/limits.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { useArchivedThreads } from '../../../sync/library-threads.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { useThreadActions } from '../use-thread-actions.ts'
import { LibraryFrame, ThreadItems } from './library-frame.tsx'
import { t } from './texts/en.ts'

export function ArchivePage() {
  const [limit, setLimit] = useState(threadPageSize)
  const { archive } = useThreadActions()
  return (
    <LibraryFrame heading={t('archiveTitle')}>
      <p className="mt-1 mb-4 text-muted-foreground text-pretty">{t('archiveNote')}</p>
      <ThreadItems
        {...useArchivedThreads(limit)}
        onMore={() => setLimit(limit + threadPageSize)}
        empty={t('noArchived')}
        action={(thread) => (
          <IconButton
            label={t('restoreOf', { title: titleOf(thread, firstPaintText) })}
            description={t('restore')}
            onClick={() => archive([thread], false)}
          >
            <ArchiveRestore />
          </IconButton>
        )}
      />
    </LibraryFrame>
  )
}
