-- The themes have names of their own. The feed trigger tells open pages.
update setting set theme = case theme
  when 't3-chat' then 'rose'
  when 'claymorphism' then 'clay'
  when 'claude' then 'paper'
  when 'amethyst-haze' then 'haze'
  when 'vercel' then 'mono'
end where theme in ('t3-chat', 'claymorphism', 'claude', 'amethyst-haze', 'vercel');
