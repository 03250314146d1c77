// Disabled controls are focusable and fade in their colours, because opacity would fade the focus ring.
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Button } from '../../../../web/ui/button.tsx'
import { IconButton } from '../../../../web/ui/icon-button.tsx'
import { MenuItem } from '../../../../web/ui/menu.tsx'
import { Switch } from '../../../../web/ui/switch.tsx'

const disabledReason = 'Not now'

test.each<[string, ReactNode]>([
  ...(['primary', 'secondary', 'ghost', 'danger'] as const).map((variant): [string, ReactNode] => [
    `a button, ${variant}`,
    <Button key={variant} variant={variant} disabledReason={disabledReason}>
      Save
    </Button>,
  ]),
  [
    'an icon',
    <IconButton key="icon" label="Send" disabledReason={disabledReason}>
      <i />
    </IconButton>,
  ],
  [
    'what a menu offers',
    <MenuItem key="item" onSelect={() => {}} disabledReason={disabledReason}>
      Leave
    </MenuItem>,
  ],
  ['a switch', <Switch key="switch" label="Enter sends" checked onChange={() => {}} disabledReason={disabledReason} />],
])('%s', (_what, control) => {
  const [, classes = ''] = /class="([^"]*)"/.exec(renderToStaticMarkup(control)) ?? []
  expect(classes.split(' ').filter((name) => name.startsWith('aria-disabled:opacity'))).toEqual([])
  // In their colours, or in their content.
  expect(classes).toMatch(/aria-disabled:(?:bg-\S+\/50|text-\S+\/50|\*:opacity-50)/)
})
