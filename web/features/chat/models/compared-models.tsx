/** In the composer: the models that answer the next message besides the selected one. Each can be removed. */
import { X } from 'lucide-react'
import type { ModelRow } from '../../../sync/rows.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { MakerIcon } from '../../../ui/maker-icon.tsx'
import { t } from './texts/en.ts'

type ComparedModelsProps = { readonly models: readonly ModelRow[]; readonly onChange: (models: readonly ModelRow[]) => void }

export function ComparedModels({ models, onChange }: ComparedModelsProps) {
  return (
    <ul aria-label={t('compared')} className="flex min-w-0 flex-wrap gap-1">
      {models.map((model) => (
        <li
          key={model.id}
          className="flex h-7 max-w-56 min-w-0 items-center gap-1.5 rounded-lg bg-foreground/6 pl-2 text-sm text-muted-foreground touch:h-9"
        >
          <MakerIcon maker={model.icon} className="size-4 shrink-0" />
          <span className="truncate">{model.name}</span>
          <IconButton
            size="sm"
            label={t('removeCompared', { model: model.name })}
            onClick={() => onChange(models.filter((other) => other !== model))}
          >
            <X />
          </IconButton>
        </li>
      ))}
    </ul>
  )
}
