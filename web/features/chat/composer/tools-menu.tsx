/**
 * The menu “Tools”: what the model may use in the thread, and Search or Research for the next message. On narrow windows its items are in the
 * menu of all options (`options-menu.tsx`). The button is part of the first load, its items are not.
 */
import { CircleSlash2, Wrench } from 'lucide-react'
import { isSourceOn } from '../../../../worker/contract/tools/tool-servers.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { lazyPart } from '../../../lib/lazy-part.ts'
import { Menu } from '../../../ui/menu.tsx'
import { tooltip } from '../../../ui/tooltip.tsx'
import { t } from './texts/en.ts'
import { sourceLabel, type ToolsProps, useToolSources } from './tool-sources.ts'

const loadItems = () => import('./tool-items.tsx')
const ToolItems = lazyPart(() => loadItems().then((module) => module.ToolItems))
const ChosenModeButton = lazyPart(() => loadItems().then((module) => module.ChosenModeButton))

/** Nothing if there is nothing to use. */
export function ToolsMenu(props: ToolsProps) {
  const { offTools, mode } = props
  const sources = useToolSources()
  if (sources.length === 0) return null
  const names = sources.flatMap((source) => (isSourceOn(source, offTools) ? sourceLabel(source) : [])).join(', ')
  const label = firstPaintText('tools')
  return (
    <>
      <Menu
        label={label}
        placement="top-start"
        className="w-72"
        trigger={(trigger) => (
          <button
            {...trigger}
            type="button"
            aria-label={label}
            aria-description={names || t('noTools')}
            {...tooltip(names ? t('toolsOn', { names }) : t('noTools'))}
            onPointerEnter={ToolItems.preload}
            onFocus={ToolItems.preload}
            className="flex h-9 shrink-0 touch-target items-center gap-1.5 rounded-lg px-2 text-sm text-muted-foreground transition-colors hover:bg-foreground/7 hover:text-foreground aria-expanded:bg-foreground/7 aria-expanded:text-foreground"
          >
            {/* Not faded: faded text would have too little contrast. */}
            {names ? <Wrench className="size-4" aria-hidden="true" /> : <CircleSlash2 className="size-4" aria-hidden="true" />}
            <span aria-hidden="true" className="@max-2xl:hidden">
              {label}
            </span>
          </button>
        )}
      >
        <ToolItems {...props} />
      </Menu>
      {mode !== 'chat' && <ChosenModeButton {...props} mode={mode} />}
    </>
  )
}
