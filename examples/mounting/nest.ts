/** A Nest app on Express, with the bot at its own path. */
import 'reflect-metadata'
import { type BeforeApplicationShutdown, Body, Controller, Get, Module, type OnModuleInit, Post } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import { webhook } from 'switchhook/express'
import { bot } from './bot.ts'

class Shop {
  home() {
    return 'the shop'
  }
  order(body: unknown) {
    return { ordered: body }
  }
}

/** Starts the bot with the app. When the app stops, deliveries are still stored until the bot has stopped. */
class AppModule implements OnModuleInit, BeforeApplicationShutdown {
  async onModuleInit() {
    await bot.start()
  }
  async beforeApplicationShutdown() {
    await bot.stop()
  }
}

// What decorators do: with `nest build` write @Controller(), @Get(), @Post('orders'), @Body() and @Module({ … }).
Controller()(Shop)
Get()(Shop.prototype, 'home', { value: Shop.prototype.home })
Post('orders')(Shop.prototype, 'order', { value: Shop.prototype.order })
Body()(Shop.prototype, 'order', 0)
Module({ controllers: [Shop] })(AppModule)

const app = await NestFactory.create<NestExpressApplication>(AppModule)
// Before `listen`, which registers the parsers of Nest: the signature is over the exact bytes.
app.use('/webhooks/messages', webhook(bot))
app.enableShutdownHooks()
await app.listen(Number(process.env['PORT'] ?? 3000))
